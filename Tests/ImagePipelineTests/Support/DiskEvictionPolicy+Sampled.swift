@testable import CachePolicies

extension DiskEvictionPolicy {
  private struct Box: SampledPolicyVisitor {
    func visit(_ policy: some SampledPolicy) -> any SampledPolicy { policy }
  }

  /// The policy as the disk tier runs it.
  func sampled() -> any SampledPolicy { Box().visit(self) }
}
