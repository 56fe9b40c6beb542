/*
 * A simulated libnvidia-ml.so.1: NVML's functions as far as the GPU probe asks for them, with the layouts of NVML's public interface. Without a script it has one healthy
 * device. Keys: a function's name for its status, a reading's name for its value, either behind "gpu3." for one device or "gpu3.mig1." for one MIG instance;
 * "gpu3.status" for the status of every call on it; "delay-millis" for a driver that takes its time once in a round. -DOLD leaves out what drivers before R510 lack.
 */
#include "script.h"

#define MIG_STEP 0x100
#define FIRST 0x1000
#define NOT_SUPPORTED 3
#define NOT_FOUND 6
#define INSUFFICIENT_SIZE 7
#define TIMEOUT 10
#define VERSION_MISMATCH 25

typedef void *handle;
typedef unsigned int uint;
typedef unsigned long long ulong64;

static long calls[64];

static int gpu_of(handle device) { return (int)(((unsigned long)device - FIRST) % MIG_STEP); }
static int mig_of(handle device) { return (int)(((unsigned long)device - FIRST) / MIG_STEP) - 1; }

/* The value for this device or instance, else for all. */
static const char *about(handle device, const char *key) {
    const char *value;
    if (mig_of(device) >= 0) {
        value = find("gpu%d.mig%d.%s", gpu_of(device), mig_of(device), key);
        return value ? value : find("mig.%s", key);
    }
    value = find("gpu%d.%s", gpu_of(device), key);
    return value ? value : find("%s", key);
}

static ulong64 value_of(handle device, const char *key, ulong64 otherwise) {
    return number(about(device, key), otherwise);
}

/* Every call begins here: the status that the script wants it to have. */
static int enter(handle device, const char *function) {
    read_script();
    if (!device) {
        const char *status = find("%s", function);
        return (int)number(status ? status : find("status"), 0);
    }
    calls[gpu_of(device)]++;
    const char *status = find("gpu%d.status", gpu_of(device));
    if (!status) {
        status = about(device, function);
    }
    if (!status) {
        status = find("status");
    }
    return (int)number(status, 0);
}

/* How often a device was asked. */
long simulatedCalls(int gpu) { return calls[gpu]; }

#define ENTER(device)                          \
    int entered = enter(device, __func__);     \
    if (entered) return entered

#define UINT(name, key, otherwise)                                     \
    int name(handle device, uint *out) {                               \
        ENTER(device);                                                 \
        *out = (uint)value_of(device, key, otherwise);                 \
        return 0;                                                      \
    }

#define UINT_OF(name, otherwise)                                       \
    int name(handle device, int kind, uint *out) {                     \
        char key[64];                                                  \
        snprintf(key, sizeof key, "%s.%d", __func__, kind);            \
        ENTER(device);                                                 \
        *out = (uint)value_of(device, key, otherwise);                 \
        return 0;                                                      \
    }

#define WITH_PERIOD(name, key)                                         \
    int name(handle device, uint *out, uint *period) {                 \
        ENTER(device);                                                 \
        *out = (uint)value_of(device, key, 0);                         \
        *period = 167000;                                              \
        return 0;                                                      \
    }

int nvmlInit_v2(void) { return enter(0, "nvmlInit_v2"); }
int nvmlShutdown(void) { return 0; }

int nvmlSystemGetDriverVersion(char *version, uint length) {
    ENTER(0);
    const char *text = find("driver");
    snprintf(version, length, "%s", text ? text : "550.54.15");
    return 0;
}

int nvmlDeviceGetCount_v2(uint *count) {
    ENTER(0);
    usleep((unsigned)number(find("delay-millis"), 0) * 1000);
    *count = (uint)number(find("count"), 1);
    return 0;
}

int nvmlDeviceGetHandleByIndex_v2(uint index, handle *device) {
    int status = enter((handle)(unsigned long)(FIRST + index), "nvmlDeviceGetHandleByIndex_v2");
    *device = (handle)(unsigned long)(FIRST + index);
    return status;
}

int nvmlDeviceGetUUID(handle device, char *uuid, uint length) {
    ENTER(device);
    if (mig_of(device) >= 0) {
        snprintf(uuid, length, "MIG-%08d-0000-0000-0000-%012d", gpu_of(device), mig_of(device));
    } else {
        snprintf(uuid, length, "GPU-%08d-0000-0000-0000-000000000000", gpu_of(device));
    }
    return 0;
}

int nvmlDeviceGetName(handle device, char *name, uint length) {
    ENTER(device);
    snprintf(name, length, "%s", mig_of(device) >= 0 ? "Simulated H100 MIG 3g.40gb" : "Simulated H100");
    return 0;
}

int nvmlDeviceGetPciInfo_v3(handle device, char *info) {
    ENTER(device);
    memset(info, 0, 68);
    snprintf(info + 36, 32, "00000000:%02X:00.0", 0x3B + gpu_of(device));
    return 0;
}

int nvmlDeviceGetCpuAffinity(handle device, uint words, unsigned long *set) {
    ENTER(device);
    memset(set, 0, words * sizeof *set);
    set[0] = value_of(device, "affinity", 0xFF);
    return 0;
}

int nvmlDeviceGetMigMode(handle device, uint *now, uint *pending) {
    ENTER(device);
    *now = *pending = value_of(device, "mig", 0) > 0;
    return 0;
}

int nvmlDeviceGetMaxMigDeviceCount(handle device, uint *count) {
    ENTER(device);
    *count = 7;
    return 0;
}

int nvmlDeviceGetMigDeviceHandleByIndex(handle device, uint index, handle *instance) {
    ENTER(device);
    if (index >= value_of(device, "mig", 0)) {
        return NOT_FOUND;
    }
    *instance = (handle)((unsigned long)device + MIG_STEP * (index + 1));
    return 0;
}

UINT(nvmlDeviceGetGpuInstanceId, "instance", (uint)mig_of(device) + 1)

int nvmlDeviceGetMemoryInfo(handle device, ulong64 *memory) {
    ENTER(device);
    memory[0] = value_of(device, "total", 85520809984ULL);
    memory[2] = value_of(device, "used", 1000000000ULL) + value_of(device, "reserved", 500000000ULL);
    memory[1] = memory[0] - memory[2];
    return 0;
}

#ifndef OLD
int nvmlDeviceGetMemoryInfo_v2(handle device, ulong64 *memory) {
    ENTER(device);
    if ((uint)memory[0] != (40 | 2 << 24)) {
        return VERSION_MISMATCH;
    }
    memory[1] = value_of(device, "total", 85520809984ULL);
    memory[2] = value_of(device, "reserved", 500000000ULL);
    memory[4] = value_of(device, "used", 1000000000ULL);
    memory[3] = memory[1] - memory[2] - memory[4];
    return 0;
}
#endif

int nvmlDeviceGetBAR1MemoryInfo(handle device, ulong64 *memory) {
    ENTER(device);
    memory[0] = 137438953472ULL;
    memory[2] = value_of(device, "bar1", 2097152);
    memory[1] = memory[0] - memory[2];
    return 0;
}

int nvmlDeviceGetUtilizationRates(handle device, uint *rates) {
    ENTER(device);
    rates[0] = (uint)value_of(device, "busy", 97);
    rates[1] = (uint)value_of(device, "traffic", 31);
    return 0;
}

WITH_PERIOD(nvmlDeviceGetEncoderUtilization, "encoder")
WITH_PERIOD(nvmlDeviceGetDecoderUtilization, "decoder")
UINT(nvmlDeviceGetPowerUsage, "power", 161300)
UINT(nvmlDeviceGetEnforcedPowerLimit, "limit", 700000)
UINT_OF(nvmlDeviceGetTemperature, 48)
UINT_OF(nvmlDeviceGetClockInfo, kind == 1 ? 1755 : 2619)
UINT_OF(nvmlDeviceGetMaxClockInfo, kind == 1 ? 1980 : 2619)
UINT_OF(nvmlDeviceGetPcieThroughput, kind == 0 ? 250000 : 1250000)
UINT(nvmlDeviceGetPcieReplayCounter, "replays", 5)
UINT(nvmlDeviceGetCurrPcieLinkGeneration, "generation", 4)
UINT(nvmlDeviceGetCurrPcieLinkWidth, "width", 8)
UINT(nvmlDeviceGetMaxPcieLinkGeneration, "max-generation", 5)
UINT(nvmlDeviceGetMaxPcieLinkWidth, "max-width", 16)

int nvmlDeviceGetTotalEnergyConsumption(handle device, ulong64 *energy) {
    ENTER(device);
    *energy = value_of(device, "energy", 9000000);
    return 0;
}

int nvmlDeviceGetCurrentClocksThrottleReasons(handle device, ulong64 *reasons) {
    ENTER(device);
    *reasons = value_of(device, "reasons", 0);
    return 0;
}

#ifndef OLD
int nvmlDeviceGetCurrentClocksEventReasons(handle device, ulong64 *reasons) {
    ENTER(device);
    *reasons = value_of(device, "reasons", 0);
    return 0;
}
#endif

int nvmlDeviceGetViolationStatus(handle device, int policy, ulong64 *times) {
    ENTER(device);
    times[0] = 1;
    times[1] = value_of(device, policy == 0 ? "power-violation" : "thermal-violation", 0);
    return 0;
}

int nvmlDeviceGetTotalEccErrors(handle device, int kind, int counter, ulong64 *errors) {
    ENTER(device);
    (void)counter;
    *errors = value_of(device, kind == 0 ? "corrected" : "uncorrected", 0);
    return 0;
}

int nvmlDeviceGetRemappedRows(handle device, uint *corrected, uint *uncorrected, uint *pending, uint *failure) {
    ENTER(device);
    *corrected = (uint)value_of(device, "remapped", 0);
    *uncorrected = *pending = 0;
    *failure = (uint)value_of(device, "remap-failed", 0);
    return 0;
}

struct field {
    uint id, scope;
    long long timestamp, latency;
    int type, status;
    union {
        double real;
        uint narrow;
        ulong64 wide;
    } value;
};

int nvmlDeviceGetFieldValues(handle device, int count, struct field *fields) {
    char key[32];
    ENTER(device);
    for (int i = 0; i < count; i++) {
        struct field *field = &fields[i];
        int is_of_links = field->id == 138 || field->id == 139;
        snprintf(key, sizeof key, "field.%u.status", field->id);
        field->status = is_of_links && field->scope != ~0u ? 2 : (int)value_of(device, key, 0);
        snprintf(key, sizeof key, "field.%u.type", field->id);
        field->type = (int)value_of(device, key, 3);
        snprintf(key, sizeof key, "field.%u", field->id);
        ulong64 value = value_of(device, key, field->id == 82 ? 61 : 0);
        if (field->type == 0) {
            field->value.real = (double)value;
        } else if (field->type == 1) {
            field->value.wide = ~0ULL;
            field->value.narrow = (uint)value;
        } else {
            field->value.wide = value;
        }
    }
    return 0;
}

struct process {
    uint pid;
    ulong64 bytes;
    uint instance, compute_instance;
};

/* "processes" is a list PID:BYTES,PID:BYTES. */
int nvmlDeviceGetComputeRunningProcesses_v3(handle device, uint *count, struct process *processes) {
    ENTER(device);
    const char *at = about(device, "processes");
    uint found = 0;
    for (; at && *at; at = strchr(at, ',') ? strchr(at, ',') + 1 : 0, found++) {
        if (found < *count) {
            processes[found] = (struct process){(uint)atoi(at), strtoull(strchr(at, ':') + 1, 0, 10), ~0u, ~0u};
        }
    }
    int status = found > *count ? INSUFFICIENT_SIZE : 0;
    *count = found;
    return status;
}

int nvmlEventSetCreate(handle *set) {
    ENTER(0);
    static int a_set;
    *set = &a_set;
    return 0;
}

int nvmlEventSetFree(handle set) {
    (void)set;
    return 0;
}

int nvmlDeviceRegisterEvents(handle device, ulong64 types, handle set) {
    ENTER(device);
    (void)set;
    return types == 8 ? 0 : NOT_SUPPORTED;
}

struct event {
    handle device;
    ulong64 type, data;
    uint instance, compute_instance;
};

/* "xids" is a list NUMBER:GPU:CODE, with numbers that grow; each comes once. */
int nvmlEventSetWait_v2(handle set, struct event *event, uint timeout) {
    static long last;
    (void)set;
    (void)timeout;
    ENTER(0);
    for (const char *at = find("xids"); at && *at; at = strchr(at, ',') ? strchr(at, ',') + 1 : 0) {
        long number;
        int gpu;
        ulong64 code;
        if (sscanf(at, "%ld:%d:%llu", &number, &gpu, &code) == 3 && number > last) {
            last = number;
            *event = (struct event){(handle)(unsigned long)(FIRST + gpu), 8, code, ~0u, ~0u};
            return 0;
        }
    }
    return TIMEOUT;
}

#ifndef OLD
struct support {
    uint version, is_supported;
};

int nvmlGpmQueryDeviceSupport(handle device, struct support *support) {
    ENTER(device);
    if (support->version != 1) {
        return VERSION_MISMATCH;
    }
    support->is_supported = (uint)value_of(device, "gpm", 1);
    return 0;
}

struct sample {
    long number;
    handle device;
    int instance;
};

int nvmlGpmSampleAlloc(struct sample **sample) {
    *sample = calloc(1, sizeof **sample);
    return 0;
}

int nvmlGpmSampleFree(struct sample *sample) {
    free(sample);
    return 0;
}

static int take_sample(handle device, int instance, struct sample *sample) {
    static long number;
    *sample = (struct sample){++number, device, instance};
    return 0;
}

int nvmlGpmSampleGet(handle device, struct sample *sample) {
    ENTER(device);
    return take_sample(device, -1, sample);
}

int nvmlGpmMigSampleGet(handle device, uint instance, struct sample *sample) {
    ENTER(device);
    return take_sample(device, (int)instance, sample);
}

struct metric {
    uint id;
    int status;
    double value;
    char *short_name, *long_name, *unit;
};

struct metrics {
    uint version, count;
    struct sample *before, *now;
    struct metric metrics[333];
};

/* "gpm.10 42.5" for a device, "gpm.10.instance2 …" for its GPU instance 2. */
int nvmlGpmMetricsGet(struct metrics *request) {
    if (request->version != 1 || request->before->number >= request->now->number ||
        request->before->device != request->now->device || request->before->instance != request->now->instance) {
        return 2;
    }
    handle device = request->now->device;
    ENTER(device);
    for (uint i = 0; i < request->count; i++) {
        struct metric *metric = &request->metrics[i];
        char key[64];
        if (request->now->instance < 0) {
            snprintf(key, sizeof key, "gpm.%u", metric->id);
        } else {
            snprintf(key, sizeof key, "gpm.%u.instance%d", metric->id, request->now->instance);
        }
        const char *value = about(device, key);
        metric->status = value ? 0 : NOT_SUPPORTED;
        metric->value = value ? strtod(value, 0) : 0;
    }
    return 0;
}
#endif
