/* Answers calls of foreign functions: reads the number of a function and its arguments from
   standard input, and writes its result to what was standard output. What the functions print
   goes to standard error. */
#define _POSIX_C_SOURCE 200112L
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Generated: bytes of all arguments, one behind the other; bytes of the result; the call. */
extern const uint64_t rise_ls_functions;
extern const uint64_t rise_ls_argument_sizes[];
extern const uint64_t rise_ls_result_sizes[];
void rise_ls_call(uint64_t function, const unsigned char *arguments, unsigned char *result);

enum { NO_MEMORY = 71 };

int main(void)
{
    int out = dup(1);
    FILE *replies = out < 0 || dup2(2, 1) < 0 ? NULL : fdopen(out, "wb");
    if (replies == NULL) {
        return 1;
    }
    uint64_t longest = 1;
    for (uint64_t i = 0; i < rise_ls_functions; i++) {
        if (rise_ls_argument_sizes[i] > longest) {
            longest = rise_ls_argument_sizes[i];
        }
        if (rise_ls_result_sizes[i] > longest) {
            longest = rise_ls_result_sizes[i];
        }
    }
    unsigned char *arguments = malloc((size_t)longest);
    unsigned char *result = malloc((size_t)longest);
    if (arguments == NULL || result == NULL) {
        return NO_MEMORY;
    }
    uint64_t function;
    while (fread(&function, sizeof function, 1, stdin) == 1 && function < rise_ls_functions) {
        size_t size = (size_t)rise_ls_argument_sizes[function];
        if (fread(arguments, 1, size, stdin) != size) {
            return 1;
        }
        rise_ls_call(function, arguments, result);
        fflush(stdout);
        size = (size_t)rise_ls_result_sizes[function];
        if (fwrite(result, 1, size, replies) != size || fflush(replies) != 0) {
            return 1;
        }
    }
    return 0;
}
