#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
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
static int size_argument(const char *text, const char *name) {
    char *end = NULL;
    long value = strtol(text, &end, 10);
    if (end == text || *end != '\0' || value < 0 || value > INT32_MAX) {
        fprintf(stderr, "%s: %s is no size\n", name, text);
        exit(2);
    }
    return (int)value;
}

/* Up to three sizes with commas between them, of an option like --local=64,1. */
static void launch_argument(const char *text, size_t sizes[3]) {
    for (int d = 0; d < 3; d++) {
        char *end = NULL;
        long value = strtol(text, &end, 10);
        if (end == text || value < 1) {
            fprintf(stderr, "%s: up to three sizes belong here\n", text);
            exit(2);
        }
        sizes[d] = (size_t)value;
        if (*end != ',') {
            return;
        }
        text = end + 1;
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

/* Runs a kernel, and gives the nanoseconds that it took. */
static double run(cl_command_queue queue, cl_kernel kernel, const size_t global[3], const size_t local[3]) {
    cl_event event;
    cl_ulong start = 0, end = 0;
    check(clEnqueueNDRangeKernel(queue, kernel, 3, NULL, global, local, 0, NULL, &event), "clEnqueueNDRangeKernel");
    check(clWaitForEvents(1, &event), "clWaitForEvents");
    check(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof(start), &start, NULL), "clGetEventProfilingInfo");
    check(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof(end), &end, NULL), "clGetEventProfilingInfo");
    clReleaseEvent(event);
    return (double)(end - start);
}
