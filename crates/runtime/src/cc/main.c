/* Calls a generated function with the arguments in one file, and writes its result and how long
   the calls took to another. All numbers in the files are those of this machine. */
#define _POSIX_C_SOURCE 200112L
#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { NO_MEMORY = 71, NO_FILE = 74, ALIGNMENT = 64 };

void rise_ls_call(void *const *outputs, void *const *arguments);

static void fail(int status, const char *what)
{
    const char *why = errno != 0 ? strerror(errno) : "there is too little in it";
    fprintf(stderr, "rise-ls: %s: %s\n", what, why);
    exit(status);
}

static void *allocate(uint64_t size)
{
    void *memory = NULL;
    if (size > SIZE_MAX - ALIGNMENT || posix_memalign(&memory, ALIGNMENT, (size_t)size + ALIGNMENT) != 0) {
        fprintf(stderr, "rise-ls: %" PRIu64 " bytes cannot be allocated\n", size);
        exit(NO_MEMORY);
    }
    return memory;
}

static void get(FILE *file, void *memory, uint64_t size)
{
    if (fread(memory, 1, (size_t)size, file) != size) {
        fail(NO_FILE, "the arguments cannot be read");
    }
}

static void put(FILE *file, const void *memory, uint64_t size)
{
    if (fwrite(memory, 1, (size_t)size, file) != size) {
        fail(NO_FILE, "the result cannot be written");
    }
}

static uint64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

int main(int count, char **words)
{
    if (count != 3) {
        fail(NO_FILE, "two files are needed");
    }
    errno = 0;
    FILE *file = fopen(words[1], "rb");
    if (file == NULL) {
        fail(NO_FILE, "the arguments cannot be opened");
    }
    /* Calls before the clock runs, calls after, outputs, arguments. */
    uint64_t header[4];
    get(file, header, sizeof header);
    uint64_t *sizes = allocate(header[2] * sizeof *sizes);
    get(file, sizes, header[2] * sizeof *sizes);
    /* The argument that an output starts as, counted from 1; 0 for none. */
    uint64_t *sources = allocate(header[2] * sizeof *sources);
    get(file, sources, header[2] * sizeof *sources);
    void **outputs = allocate(header[2] * sizeof(void *));
    void **arguments = allocate(header[3] * sizeof(void *));
    for (uint64_t i = 0; i < header[3]; i++) {
        uint64_t size;
        get(file, &size, sizeof size);
        arguments[i] = allocate(size);
        get(file, arguments[i], size);
    }
    fclose(file);
    for (uint64_t i = 0; i < header[2]; i++) {
        outputs[i] = allocate(sizes[i]);
        memset(outputs[i], 0, (size_t)sizes[i]);
    }
    uint64_t *times = allocate(header[1] * sizeof *times);
    for (uint64_t i = 0; i < header[0] + header[1]; i++) {
        for (uint64_t j = 0; j < header[2]; j++) {
            if (sources[j] > 0) {
                memcpy(outputs[j], arguments[sources[j] - 1], (size_t)sizes[j]);
            }
        }
        uint64_t start = now();
        rise_ls_call(outputs, arguments);
        if (i >= header[0]) {
            times[i - header[0]] = now() - start;
        }
    }
    errno = 0;
    file = fopen(words[2], "wb");
    if (file == NULL) {
        fail(NO_FILE, "the result cannot be opened");
    }
    put(file, times, header[1] * sizeof *times);
    for (uint64_t i = 0; i < header[2]; i++) {
        put(file, outputs[i], sizes[i]);
    }
    if (fclose(file) != 0) {
        fail(NO_FILE, "the result cannot be written");
    }
    /* Nothing is left for those who look for leaks in the function. */
    for (uint64_t i = 0; i < header[3]; i++) {
        free(arguments[i]);
    }
    for (uint64_t i = 0; i < header[2]; i++) {
        free(outputs[i]);
    }
    free(arguments);
    free(outputs);
    free(sizes);
    free(sources);
    free(times);
    return 0;
}
