#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(cl_int status, const char *what) {
    if (status != CL_SUCCESS) {
        fprintf(stderr, "%s: OpenCL error %d\n", what, (int)status);
        exit(1);
    }
}

/* A size from the command line. */
static int64_t size_argument(const char *text, const char *name, int64_t largest) {
    char *end = NULL;
    errno = 0;
    long long value = strtoll(text, &end, 10);
    if (end == text || *end != '\0' || errno != 0 || value < 0 || value > largest) {
        fprintf(stderr, "%s = %s: a size is a whole number from 0 to %lld\n", name, text, (long long)largest);
        exit(2);
    }
    return value;
}

/* Up to three sizes with commas between them, of an option like --local=64,1. */
static void launch_argument(const char *option, const char *text, size_t sizes[3]) {
    const char *rest = text;
    for (int d = 0; d < 3; d++) {
        sizes[d] = 1;
    }
    for (int d = 0; d < 3; d++) {
        char *end = NULL;
        long value = strtol(rest, &end, 10);
        if (end == rest || value < 1) {
            break;
        }
        sizes[d] = (size_t)value;
        if (*end == '\0') {
            return;
        }
        if (*end != ',') {
            break;
        }
        rest = end + 1;
    }
    fprintf(stderr, "%s=%s: one to three numbers from 1 on belong here, as in %s=64,1,1\n", option, text, option);
    exit(2);
}

static void usage(FILE *to, const char *program, const char *const names[], int count, bool local, bool global) {
    fprintf(to, "usage: %s%s%s", program, local ? " [--local=X,Y,Z]" : "", global ? " [--global=X,Y,Z]" : "");
    for (int at = 0; at < count; at++) {
        fprintf(to, " %s", names[at]);
    }
    fprintf(to, "\n");
}

/* The sizes in the order in which they come; options may stand anywhere. Sizes of the launch that
   the program itself says are NULL. */
static void arguments(int argc, char **argv, const char *const names[], int count, const char *given[], size_t *local, size_t *global) {
    const char *const options[2] = {"--local", "--global"};
    size_t *const sizes[2] = {local, global};
    int found = 0;
    bool wrong = false;
    for (int at = 1; at < argc; at++) {
        const char *text = argv[at];
        bool known = false;
        if (strcmp(text, "--help") == 0 || strcmp(text, "-h") == 0) {
            usage(stdout, argv[0], names, count, local != NULL, global != NULL);
            exit(0);
        }
        for (int option = 0; option < 2; option++) {
            size_t length = strlen(options[option]);
            if (strncmp(text, options[option], length) != 0 || (text[length] != '=' && text[length] != '\0')) {
                continue;
            }
            known = true;
            if (sizes[option] == NULL) {
                fprintf(stderr, "%s: the program says this size itself\n", text);
                wrong = true;
            } else if (text[length] == '=') {
                launch_argument(options[option], text + length + 1, sizes[option]);
            } else if (at + 1 < argc) {
                launch_argument(options[option], argv[++at], sizes[option]);
            } else {
                fprintf(stderr, "%s: the sizes are missing, as in %s=64,1,1\n", text, text);
                wrong = true;
            }
        }
        if (known) {
            continue;
        }
        if (text[0] == '-' && (text[1] < '0' || text[1] > '9')) {
            fprintf(stderr, "%s: there is no such option\n", text);
            wrong = true;
        } else if (found == count) {
            fprintf(stderr, "%s: one size too many\n", text);
            wrong = true;
        } else {
            given[found++] = text;
        }
    }
    for (int at = found; at < count; at++) {
        fprintf(stderr, "the size %s is not given\n", names[at]);
        wrong = true;
    }
    if (wrong) {
        usage(stderr, argv[0], names, count, local != NULL, global != NULL);
        exit(2);
    }
}

static void require(bool holds, const char *condition) {
    if (!holds) {
        fprintf(stderr, "this has to hold: %s\n", condition);
        exit(2);
    }
}

/* The first device of the best kind that there is. */
static cl_device_id find_device(void) {
    const cl_device_type kinds[] = {CL_DEVICE_TYPE_GPU, CL_DEVICE_TYPE_ALL};
    cl_platform_id platforms[16];
    cl_uint count = 0;
    cl_int status = clGetPlatformIDs(16, platforms, &count);
    if (status != CL_SUCCESS || count == 0) {
        fprintf(stderr, "there is no OpenCL platform\n");
        exit(1);
    }
    count = count < 16 ? count : 16;
    for (int kind = 0; kind < 2; kind++) {
        for (cl_uint p = 0; p < count; p++) {
            cl_device_id device = NULL;
            cl_uint devices = 0;
            if (clGetDeviceIDs(platforms[p], kinds[kind], 1, &device, &devices) == CL_SUCCESS && devices > 0) {
                char name[256] = "";
                clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof(name) - 1, name, NULL);
                printf("device: %s\n", name);
                return device;
            }
        }
    }
    fprintf(stderr, "there is no OpenCL device\n");
    exit(1);
}

static cl_program build(cl_context context, cl_device_id device, const char *source) {
    cl_int status = CL_SUCCESS;
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &status);
    check(status, "clCreateProgramWithSource");
    status = clBuildProgram(program, 1, &device, "-cl-std=CL1.2", NULL, NULL);
    if (status != CL_SUCCESS) {
        size_t length = 0;
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, NULL, &length);
        char *log = calloc(length + 1, 1);
        if (log != NULL) {
            clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, length, log, NULL);
            fprintf(stderr, "%s\n", log);
        }
        free(log);
        check(status, "clBuildProgram");
    }
    return program;
}

static void *allocate(size_t bytes) {
    void *memory = calloc(bytes > 0 ? bytes : 1, 1);
    if (memory == NULL) {
        fprintf(stderr, "cannot allocate %zu bytes\n", bytes);
        exit(1);
    }
    return memory;
}

static cl_mem device_memory(cl_context context, cl_mem_flags flags, size_t bytes, void *host) {
    cl_int status = CL_SUCCESS;
    cl_mem memory = clCreateBuffer(context, flags, bytes > 0 ? bytes : 1, host, &status);
    check(status, "clCreateBuffer");
    return memory;
}

/* Numbers between 0 and 1 that are the same each time. */
static double random_number(void) {
    static uint64_t state = 1;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 40) / 16777216.0;
}

/* Runs a kernel, and gives the nanoseconds that it took; none without work-items. */
static double run(cl_command_queue queue, cl_kernel kernel, const size_t global[3], const size_t local[3]) {
    cl_event event;
    cl_ulong start = 0, end = 0;
    if (global[0] == 0 || global[1] == 0 || global[2] == 0) {
        return 0;
    }
    check(clEnqueueNDRangeKernel(queue, kernel, 3, NULL, global, local, 0, NULL, &event), "clEnqueueNDRangeKernel");
    check(clWaitForEvents(1, &event), "clWaitForEvents");
    check(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof(start), &start, NULL), "clGetEventProfilingInfo");
    check(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof(end), &end, NULL), "clGetEventProfilingInfo");
    clReleaseEvent(event);
    return (double)(end - start);
}
