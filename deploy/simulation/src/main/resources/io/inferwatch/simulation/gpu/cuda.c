/*
 * A simulated libcuda.so.1: the driver functions that the canary calls. Copies take simulated time by the script's speeds, which events tell; blocks and handles that are out
 * are counted. Keys: a function's name for its status; "dtod", "htod", "dtoh" for bytes per second; "room" for bytes that can be had.
 */
#include "script.h"

#define OUT_OF_MEMORY 2

typedef void *handle;

static double simulated_millis;
static size_t held, peak;
static int handles;

size_t simulatedHeldBytes(void) { return held; }
size_t simulatedPeakBytes(void) { return peak; }
int simulatedHandles(void) { return handles; }

static int enter(const char *function) {
    read_script();
    return (int)number(find("%s", function), 0);
}

#define ENTER()                        \
    int entered = enter(__func__);     \
    if (entered) return entered

static handle make(void) {
    handles++;
    return malloc(sizeof(double));
}

static int drop(handle made) {
    handles--;
    free(made);
    return 0;
}

int cuInit(unsigned flags) {
    (void)flags;
    return enter("cuInit");
}

int cuDeviceGetByPCIBusId(int *device, const char *bus) {
    ENTER();
    *device = 0;
    return strncmp(bus, "00000000:", 9) == 0 ? 0 : 1;
}

int cuCtxCreate_v2(handle *context, unsigned flags, int device) {
    (void)flags;
    (void)device;
    ENTER();
    *context = make();
    return 0;
}

int cuCtxDestroy_v2(handle context) { return drop(context); }

int cuModuleLoadData(handle *module, const char *image) {
    ENTER();
    *module = make();
    return strstr(image, ".entry nothing()") ? 0 : 200;
}

int cuModuleUnload(handle module) { return drop(module); }

int cuModuleGetFunction(handle *function, handle module, const char *name) {
    ENTER();
    *function = module;
    return strcmp(name, "nothing") == 0 ? 0 : 500;
}

int cuEventCreate(handle *event, unsigned flags) {
    (void)flags;
    ENTER();
    *event = make();
    return 0;
}

int cuEventDestroy_v2(handle event) { return drop(event); }

int cuEventRecord(double *event, handle stream) {
    (void)stream;
    *event = simulated_millis;
    return 0;
}

int cuEventSynchronize(handle event) {
    (void)event;
    return 0;
}

int cuEventElapsedTime(float *millis, double *start, double *end) {
    ENTER();
    *millis = (float)(*end - *start);
    return 0;
}

static int hold(void **block, size_t bytes) {
    if (held + bytes > number(find("room"), 1ULL << 40)) {
        return OUT_OF_MEMORY;
    }
    size_t *made = malloc(sizeof *made);
    *made = bytes;
    held += bytes;
    peak = held > peak ? held : peak;
    *block = made;
    return 0;
}

static int release(size_t *block) {
    held -= *block;
    free(block);
    return 0;
}

int cuMemAlloc_v2(void **block, size_t bytes) {
    ENTER();
    return hold(block, bytes);
}

int cuMemFree_v2(void *block) { return release(block); }

int cuMemAllocHost_v2(void **block, size_t bytes) {
    ENTER();
    return hold(block, bytes);
}

int cuMemFreeHost(void *block) { return release(block); }

int cuLaunchKernel(handle function, unsigned a, unsigned b, unsigned c, unsigned d, unsigned e, unsigned f, unsigned shared,
                   handle stream, void **parameters, void **extra) {
    (void)function, (void)a, (void)b, (void)c, (void)d, (void)e, (void)f, (void)shared;
    (void)stream, (void)parameters, (void)extra;
    ENTER();
    return 0;
}

int cuStreamSynchronize(handle stream) {
    (void)stream;
    return 0;
}

static int copied(const char *speed, size_t bytes, size_t directions) {
    simulated_millis += (double)(bytes * directions) * 1e3 / (double)number(find("%s", speed), 1000000000);
    return 0;
}

int cuMemcpyDtoDAsync_v2(void *to, void *from, size_t bytes, handle stream) {
    (void)to, (void)from, (void)stream;
    ENTER();
    return copied("dtod", bytes, 2);
}

int cuMemcpyHtoDAsync_v2(void *to, void *from, size_t bytes, handle stream) {
    (void)to, (void)from, (void)stream;
    ENTER();
    return copied("htod", bytes, 1);
}

int cuMemcpyDtoHAsync_v2(void *to, void *from, size_t bytes, handle stream) {
    (void)to, (void)from, (void)stream;
    ENTER();
    return copied("dtoh", bytes, 1);
}
