extension EvictionPolicy {
  /// Returns the policy by sample, as the disk tier runs it.
  package func sampled() -> any SampledPolicy {
    switch self {
    case .lru: SampledLRU()
    case .sieve: SampledSIEVE()
    case .s3FIFO: SampledS3FIFO()
    case .arc: SampledARC()
    case .slru: SampledSLRU()
    case .wTinyLFU: SampledWTinyLFU()
    case .gdsf: SampledGDSF()
    case .gdsfTB(let exponent): SampledGDSF(exponent: exponent)
    case .lhdTB(let exponent): SampledLHD(exponent: exponent)
    }
  }
}
