// RUN: mlc-opt --show-dialects | filecheck %s

// CHECK: Available Dialects: acc,accel,affine,{{.*}},func,gpu,graph,index,{{.*}},tensor,tloop,tosa,{{.*}},xevm
