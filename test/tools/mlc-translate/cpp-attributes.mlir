// RUN: mlc-translate --mlir-to-cpp %s | filecheck %s

// CHECK:      float f32[3] = {NAN, -INFINITY, -0.0e+00f};
emitc.global @f32 : !emitc.array<3xf32> = dense<[0x7FC00000, 0xFF800000, -0.0]>
// CHECK-NEXT: double f64[2] = {1.00000000000000010e-01, 4.94065645841246540e-324};
emitc.global @f64 : !emitc.array<2xf64> = dense<[0.1, 5.0e-324]>
// CHECK-NEXT: _Float16 f16[2] = {INFINITY, -9.99760e-02f16};
emitc.global @f16 : !emitc.array<2xf16> = dense<[0x7C00, -0.1]>
// CHECK-NEXT: __bf16 bf16[2] = {1.5000e+00bf16, 1.0010e-01bf16};
emitc.global @bf16 : !emitc.array<2xbf16> = dense<[1.5, 0.1]>
// CHECK-NEXT: const float pi = 3.141592740e+00f;
emitc.global const @pi : f32 = 3.14159265
// CHECK-NEXT: static bool flags[2] = {true, false};
emitc.global static @flags : !emitc.array<2xi1> = dense<[true, false]>
// CHECK-NEXT: uint64_t most = 18446744073709551615;
emitc.global @most : ui64 = 18446744073709551615
// CHECK-NEXT: extern size_t places[2][2];
emitc.global extern @places : !emitc.array<2x2xindex>
// CHECK-NEXT: size_t all[2][2] = {1, 2, 3, -4};
emitc.global @all : !emitc.array<2x2xindex> = dense<[[1, 2], [3, -4]]>
// CHECK-NEXT: int16_t same[3] = {7, 7, 7};
emitc.global @same : !emitc.array<3xi16> = dense<7>
// CHECK-NEXT: std::string text = "a\n";
emitc.global @text : !emitc.opaque<"std::string"> = #emitc.opaque<"\22a\\n\22">

// Over a hundred elements, MLIR prints bytes.
// CHECK-NEXT: int16_t many[104] = {1, -2, 3, 1, -2, 3,
// CHECK-NEXT: float more[104] = {1.500000000e+00f, -2.500000000e+00f, 1.500000000e+00f,
// CHECK-NEXT: bool bits[104] = {true, false, true, true, true, false, true, true, true,
emitc.global @many : !emitc.array<104xi16> = dense<"0x0100FEFF03000100FEFF03000100FEFF03000100FEFF03000100FEFF03000100FEFF03000100FEFF03000100FEFF03000100FEFF03000100FEFF03000100FEFF03000100FEFF03000100FEFF03000100FEFF03000100FEFF03000100FEFF03000100FEFF03000100FEFF03000100FEFF03000100FEFF03000100FEFF03000100FEFF03000100FEFF03000100FEFF03000100FEFF03000100FEFF03000100FEFF03000100FEFF03000100FEFF03000100FEFF03000100FEFF03000100FEFF03000100FEFF03000100FEFF03000100FEFF">
emitc.global @more : !emitc.array<104xf32> = dense<"0x0000C03F000020C00000C03F000020C00000C03F000020C00000C03F000020C00000C03F000020C00000C03F000020C00000C03F000020C00000C03F000020C00000C03F000020C00000C03F000020C00000C03F000020C00000C03F000020C00000C03F000020C00000C03F000020C00000C03F000020C00000C03F000020C00000C03F000020C00000C03F000020C00000C03F000020C00000C03F000020C00000C03F000020C00000C03F000020C00000C03F000020C00000C03F000020C00000C03F000020C00000C03F000020C00000C03F000020C00000C03F000020C00000C03F000020C00000C03F000020C00000C03F000020C00000C03F000020C00000C03F000020C00000C03F000020C00000C03F000020C00000C03F000020C00000C03F000020C00000C03F000020C00000C03F000020C00000C03F000020C00000C03F000020C00000C03F000020C00000C03F000020C00000C03F000020C00000C03F000020C00000C03F000020C00000C03F000020C00000C03F000020C00000C03F000020C00000C03F000020C00000C03F000020C00000C03F000020C0">
emitc.global @bits : !emitc.array<104xi1> = dense<[true,false,true,true,true,false,true,true,true,false,true,true,true,false,true,true,true,false,true,true,true,false,true,true,true,false,true,true,true,false,true,true,true,false,true,true,true,false,true,true,true,false,true,true,true,false,true,true,true,false,true,true,true,false,true,true,true,false,true,true,true,false,true,true,true,false,true,true,true,false,true,true,true,false,true,true,true,false,true,true,true,false,true,true,true,false,true,true,true,false,true,true,true,false,true,true,true,false,true,true,true,false,true,true]>
