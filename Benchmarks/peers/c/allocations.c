#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

// Counts what a process allocates: preloaded, with BENCH_ALLOCATIONS naming a file of 16 bytes, which holds the count
// of allocations and of freed ones, as 64-bit numbers, for others to read while the process runs.
static _Atomic unsigned long own[2];
static _Atomic unsigned long *counts = own;

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("BENCH_ALLOCATIONS");
    int file = path ? open(path, O_RDWR) : -1;
    if (file < 0) return;
    void *page = mmap(0, 16, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (page != MAP_FAILED) counts = page;
}

static void count(int which) { atomic_fetch_add_explicit(&counts[which], 1, memory_order_relaxed); }

void *malloc(size_t size) { count(0); return __libc_malloc(size); }
void *calloc(size_t number, size_t size) { count(0); return __libc_calloc(number, size); }
void *realloc(void *old, size_t size) { count(0); return __libc_realloc(old, size); }
void *memalign(size_t alignment, size_t size) { count(0); return __libc_memalign(alignment, size); }
void *aligned_alloc(size_t alignment, size_t size) { count(0); return __libc_memalign(alignment, size); }
int posix_memalign(void **result, size_t alignment, size_t size) {
    count(0);
    void *made = __libc_memalign(alignment, size);
    if (!made) return ENOMEM;
    *result = made;
    return 0;
}
void free(void *old) { if (old) count(1); __libc_free(old); }
