/*
 * What a simulated driver answers stands in the file driver.txt beside its library: lines "KEY VALUE", the last of a key counts. It is read again when it was replaced, so
 * that a device can be lost, or a counter fall, under a running program.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LINES 512

static struct {
    char key[96];
    char value[256];
} lines[LINES];
static int line_count;

static void read_script(void) {
    static char path[4096];
    static struct stat last;
    if (!path[0]) {
        Dl_info self;
        dladdr((void *)read_script, &self);
        const char *slash = strrchr(self.dli_fname, '/');
        snprintf(path, sizeof path, "%.*sdriver.txt", slash ? (int)(slash - self.dli_fname + 1) : 0, self.dli_fname);
    }
    struct stat now;
    if (stat(path, &now) != 0 || (now.st_ino == last.st_ino && now.st_mtim.tv_nsec == last.st_mtim.tv_nsec &&
                                  now.st_mtim.tv_sec == last.st_mtim.tv_sec)) {
        return;
    }
    last = now;
    line_count = 0;
    FILE *script = fopen(path, "r");
    while (script && line_count < LINES &&
           fscanf(script, " %95s %255[^\n]", lines[line_count].key, lines[line_count].value) == 2) {
        line_count++;
    }
    if (script) {
        fclose(script);
    }
}

/* The value of a key; null when the script does not have it. */
static const char *find(const char *format, ...) {
    char key[96];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(key, sizeof key, format, arguments);
    va_end(arguments);
    for (int i = line_count - 1; i >= 0; i--) {
        if (strcmp(lines[i].key, key) == 0) {
            return lines[i].value;
        }
    }
    return 0;
}

static unsigned long long number(const char *text, unsigned long long otherwise) {
    return text ? strtoull(text, 0, 10) : otherwise;
}
