// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "include/reactive_stack.h"
#include "stack_parts.h"
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

// The function that contains an address of a module's file, from a table of this type.
static const char *name_in_table(const char *file, size_t size, uintptr_t address, ElfW(Word) type) {
    const ElfW(Ehdr) *header = (const void *)file;
    if (size < sizeof *header || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return NULL;
    if (header->e_shentsize != sizeof(ElfW(Shdr)) || header->e_shoff > size) return NULL;
    if (header->e_shnum > (size - header->e_shoff) / sizeof(ElfW(Shdr))) return NULL;
    const ElfW(Shdr) *sections = (const void *)(file + header->e_shoff);
    for (int i = 0; i < header->e_shnum; i++) {
        const ElfW(Shdr) *table = &sections[i];
        if (table->sh_type != type || table->sh_link >= header->e_shnum) continue;
        const ElfW(Shdr) *strings = &sections[table->sh_link];
        if (table->sh_offset > size || table->sh_size > size - table->sh_offset) continue;
        if (strings->sh_offset > size || strings->sh_size > size - strings->sh_offset || strings->sh_size == 0) continue;
        const char *names = file + strings->sh_offset;
        if (names[strings->sh_size - 1] != 0) continue;
        const ElfW(Sym) *symbols = (const void *)(file + table->sh_offset);
        for (size_t s = 0; s < table->sh_size / sizeof *symbols; s++) {
            // The type of a symbol has the same encoding in both sizes of ELF.
            if (ELF64_ST_TYPE(symbols[s].st_info) != STT_FUNC || symbols[s].st_shndx == SHN_UNDEF) continue;
            if (address < symbols[s].st_value || address - symbols[s].st_value >= symbols[s].st_size) continue;
            if (symbols[s].st_name < strings->sh_size) return names + symbols[s].st_name;
        }
    }
    return NULL;
}

// Calls name_in_table with the file's contents, and copies the name.
static bool find_name(const char *path, uintptr_t address, char *name, size_t capacity) {
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return false;
    struct stat status;
    bool found = false;
    if (fstat(descriptor, &status) == 0 && status.st_size > 0) {
        size_t size = (size_t)status.st_size;
        char *file = mmap(NULL, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
        if (file != MAP_FAILED) {
            // The second table contains only exported functions. A program may have no other.
            const char *symbol = name_in_table(file, size, address, SHT_SYMTAB);
            if (!symbol) symbol = name_in_table(file, size, address, SHT_DYNSYM);
            if (symbol) snprintf(name, capacity, "%s", symbol);
            found = symbol != NULL;
            munmap(file, size);
        }
    }
    close(descriptor);
    return found;
}

// The demangler of the Swift runtime, or NULL.
static char *(*swift_demangle)(const char *, size_t, char *, size_t *, uint32_t);

void reactive_symbols_prepare(void) { *(void **)&swift_demangle = dlsym(RTLD_DEFAULT, "swift_demangle"); }

// Replaces a mangled Swift name by the name in the source.
static void demangle(char *name, size_t capacity) {
    char *text = swift_demangle ? swift_demangle(name, strlen(name), NULL, NULL, 0) : NULL;
    if (!text) return;
    snprintf(name, capacity, "%s", text);
    free(text);
}

static size_t written(int count, size_t capacity) {
    if (count < 0) return 0;
    return (size_t)count < capacity ? (size_t)count : capacity - 1;
}

// The module that contains an address.
struct module {
    uintptr_t address, base;
    char path[PATH_MAX];
    bool is_found;
};

static int match(struct dl_phdr_info *info, size_t size, void *data) {
    struct module *module = data;
    for (int i = 0; i < info->dlpi_phnum && !module->is_found; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        uintptr_t begin = info->dlpi_addr + segment->p_vaddr;
        if (segment->p_type != PT_LOAD) continue;
        module->is_found = module->address >= begin && module->address - begin < segment->p_memsz;
    }
    if (!module->is_found) return 0;
    module->base = info->dlpi_addr;
    snprintf(module->path, sizeof module->path, "%s", info->dlpi_name ? info->dlpi_name : "");
    return 1;
}

static pthread_mutex_t modules = PTHREAD_MUTEX_INITIALIZER;

void reactive_modules_lock(void) { pthread_mutex_lock(&modules); }

void reactive_modules_unlock(void) { pthread_mutex_unlock(&modules); }

size_t reactive_stack_describe(const void *address, char *text, size_t capacity) {
    if (capacity == 0) return 0;
    // A return address is after the call, and may be the first byte of the next function.
    struct module module = {.address = (uintptr_t)address - 1};
    reactive_stack_prepare();
    // dladdr would wait for a thread that is inside dlopen, which may be the blocked one.
    reactive_modules_lock();
    dl_iterate_phdr(match, &module);
    reactive_modules_unlock();
    if (!module.is_found) return written(snprintf(text, capacity, "%p", address), capacity);
    // A program's own path may be relative to an old working directory.
    bool is_program = module.path[0] == 0;
    const char *slash = strrchr(module.path, '/');
    const char *file = is_program ? program_invocation_short_name : slash ? slash + 1 : module.path;
    uintptr_t offset = module.address - module.base;
    char name[1024];
    bool found = find_name(is_program ? "/proc/self/exe" : module.path, offset, name, sizeof name);
    if (found) demangle(name, sizeof name);
    return written(
        snprintf(text, capacity, "%s+0x%zx %s", file, (size_t)offset + 1, found ? name : "?"), capacity);
}
