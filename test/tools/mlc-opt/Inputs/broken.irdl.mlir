irdl.dialect @a {
  irdl.operation
}
