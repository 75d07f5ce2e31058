/* Answers calls of foreign functions: reads the number of a function, how many calls of it there
   are, and the arguments of each from standard input, and writes the results to what was standard
   output. All arguments are read before the first call, so that who sends them never waits for a
   function. What the functions print goes to standard error. */
#define _POSIX_C_SOURCE 200112L
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* Generated: bytes of all arguments, one behind the other; bytes of the result; the call. */
extern const uint64_t rise_ls_functions;
extern const uint64_t rise_ls_argument_sizes[];
extern const uint64_t rise_ls_result_sizes[];
void rise_ls_call(uint64_t function, const unsigned char *arguments, unsigned char *result);

enum { NO_MEMORY = 71 };

/* Milliseconds that results wait for those of later calls: who reads them has a time limit for a
   call, and knows by them that one has returned. */
enum { PAUSE = 10 };

/* A clock that is asked after each call: where there is one, of those that cost next to nothing. */
#ifdef CLOCK_MONOTONIC_COARSE
#define CLOCK CLOCK_MONOTONIC_COARSE
#else
#define CLOCK CLOCK_MONOTONIC
#endif

static uint64_t milliseconds(void)
{
    struct timespec now;
    if (clock_gettime(CLOCK, &now) != 0) {
        return 0;
    }
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

int main(void)
{
    int out = dup(1);
    FILE *replies = out < 0 || dup2(2, 1) < 0 ? NULL : fdopen(out, "wb");
    if (replies == NULL) {
        return 1;
    }
    uint64_t longest = 1;
    for (uint64_t i = 0; i < rise_ls_functions; i++) {
        if (rise_ls_result_sizes[i] > longest) {
            longest = rise_ls_result_sizes[i];
        }
    }
    unsigned char *arguments = NULL;
    size_t room = 0;
    unsigned char *result = malloc((size_t)longest);
    if (result == NULL) {
        return NO_MEMORY;
    }
    uint64_t request[2];
    while (fread(request, sizeof request, 1, stdin) == 1 && request[0] < rise_ls_functions) {
        uint64_t function = request[0], count = request[1];
        size_t size = (size_t)rise_ls_argument_sizes[function];
        if (size != 0 && count > SIZE_MAX / size) {
            return NO_MEMORY;
        }
        size_t all = size * (size_t)count;
        if (arguments == NULL || all > room) {
            free(arguments);
            room = all > 0 ? all : 1;
            arguments = malloc(room);
            if (arguments == NULL) {
                return NO_MEMORY;
            }
        }
        if (fread(arguments, 1, all, stdin) != all) {
            return 1;
        }
        size_t result_size = (size_t)rise_ls_result_sizes[function];
        uint64_t last = count > 1 ? milliseconds() : 0;
        for (uint64_t i = 0; i < count; i++) {
            rise_ls_call(function, arguments + (size_t)i * size, result);
            fflush(stdout);
            if (fwrite(result, 1, result_size, replies) != result_size) {
                return 1;
            }
            uint64_t now = count > 1 ? milliseconds() : 0;
            if (now >= last + PAUSE) {
                if (fflush(replies) != 0) {
                    return 1;
                }
                last = now;
            }
        }
        if (fflush(replies) != 0) {
            return 1;
        }
    }
    return 0;
}
