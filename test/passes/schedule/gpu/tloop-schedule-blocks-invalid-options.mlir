// RUN: mlc-opt %s --tloop-schedule-blocks=cluster=4,4 --verify-diagnostics
// RUN: mlc-opt %s --tloop-schedule-blocks=cluster=2 --verify-diagnostics

// expected-error @below {{cluster must be two integers whose product is at most 8}}
module {
}
