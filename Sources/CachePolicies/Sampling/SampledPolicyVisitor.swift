/// An operation on a policy by sample. Its type is known where it is visited, so that the compiler
/// generates code for each: behind a protocol, samples take ten times as long.
package protocol SampledPolicyVisitor {
  associatedtype Result
  func visit(_ policy: some SampledPolicy) -> Result
}

extension SampledPolicyVisitor {
  /// Visits a policy in the form that the disk tier runs.
  @inlinable
  package func visit(_ policy: EvictionPolicy) -> Result {
    switch policy {
    case .lru: visit(SampledLRU())
    case .sieve: visit(SampledSIEVE())
    case .s3FIFO: visit(SampledS3FIFO())
    case .arc: visit(SampledARC())
    case .slru: visit(SampledSLRU())
    case .wTinyLFU: visit(SampledWTinyLFU())
    case .gdsf: visit(SampledGDSF())
    case .gdsfTB(let exponent): visit(SampledGDSF(exponent: exponent))
    case .lhdTB(let exponent): visit(SampledLHD(exponent: exponent))
    }
  }
}
