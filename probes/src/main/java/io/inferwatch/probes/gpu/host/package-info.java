/** What Linux tells about devices and the processes that use them: sysfs, procfs and control groups in, plain records out. */
@NullMarked
package io.inferwatch.probes.gpu.host;

import org.jspecify.annotations.NullMarked;
