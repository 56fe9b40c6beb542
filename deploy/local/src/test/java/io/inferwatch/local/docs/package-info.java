/** Makes the reference pages of {@code deploy/docs} from what they are about, and reads the Markdown of the repository. */
package io.inferwatch.local.docs;
