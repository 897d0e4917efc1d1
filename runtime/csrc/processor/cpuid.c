/* The features of this processor. */
#include "mlc_runtime.h"

#include <stdio.h>
#include <string.h>

#ifdef __x86_64__
#include <cpuid.h>

/* The registers that the operating system saves, a bit of XCR0 each; only readable where it says so. */
static unsigned saved_registers(void) {
  unsigned a, b, c, d, low, high;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE))
    return 0;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low;
}

bool mlc_cpu_has(const char *check) {
  unsigned leaf, subleaf, bit, registers, found[4];
  char name;
  const char *cpuid = strchr(check, '=');
  if (!cpuid || sscanf(cpuid, "=%x.%u.e%cx.%u:%x", &leaf, &subleaf, &name, &bit, &registers) != 5 || name < 'a' ||
      name > 'd' || bit > 31 || !__get_cpuid_count(leaf, subleaf, &found[0], &found[1], &found[2], &found[3]))
    return false;
  return found[name - 'a'] >> bit & 1 && (saved_registers() & registers) == registers;
}
#else
bool mlc_cpu_has(const char *check) {
  (void)check;
  return false;
}
#endif
