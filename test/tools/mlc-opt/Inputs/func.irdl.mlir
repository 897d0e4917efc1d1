irdl.dialect @func {
  irdl.type @complex {
    %0 = irdl.is f32
    irdl.parameters(element: %0)
  }
  irdl.operation @norm {
    %0 = irdl.is f32
    %1 = irdl.parametric @func::@complex<%0>
    irdl.operands(value: %1)
    irdl.results(norm: %0)
  }
}
