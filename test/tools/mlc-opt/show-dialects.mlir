// RUN: mlc-opt --show-dialects | filecheck %s

// CHECK: Available Dialects: acc,affine,{{.*}},func,gpu,graph,index,{{.*}},tensor,tloop,tosa,{{.*}},xevm
