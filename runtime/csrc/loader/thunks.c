/* Thunks: what other objects call instead of a kernel whose launches are measured. A kernel keeps its two arguments,
 * and mlc_launch_measured gets two more: the kernel's index and address. */
#include "loader/link.h"

#include <string.h>

#if defined(__x86_64__) && defined(__linux__)

bool mark_measured(linker *l) {
  for (size_t i = 0; i < l->measured_count; i++) {
    global_symbol *entry = symbol_table_find(&l->globals, l->measured[i]);
    if (!entry->name || entry->precedence != SYMBOL_STRONG)
      return link_fail(l, "the code defines no kernel '%s'", l->measured[i]);
    entry->thunk = i + 1;
  }
  return true;
}

static uint8_t *thunk_at(const linker *l, size_t index) { return l->base + l->thunks_offset + index * THUNK_BYTES; }

uint64_t thunk_address(const linker *l, const global_symbol *kernel) {
  return (uint64_t)(uintptr_t)thunk_at(l, kernel->thunk - 1);
}

/* Appends an instruction: its opcode, and an immediate operand. */
static uint8_t *emit(uint8_t *code, const char *opcode, const void *operand, size_t bytes) {
  memcpy(code, opcode, strlen(opcode));
  code += strlen(opcode);
  memcpy(code, operand, bytes);
  return code + bytes;
}

void write_thunks(linker *l) {
  const uint64_t launch = (uint64_t)(uintptr_t)mlc_launch_measured;
  for (size_t i = 0; i < l->measured_count; i++) {
    const uint32_t index = (uint32_t)i;
    const uint64_t kernel = symbol_table_find(&l->globals, l->measured[i])->address;
    uint8_t *code = thunk_at(l, i);
    code = emit(code, "\xba", &index, sizeof index);       /* mov $index, %edx */
    code = emit(code, "\x48\xb9", &kernel, sizeof kernel); /* movabs $kernel, %rcx */
    code = emit(code, "\x48\xb8", &launch, sizeof launch); /* movabs $launch, %rax */
    emit(code, "\xff\xe0", "", 0);                         /* jmp *%rax */
  }
}

#endif
