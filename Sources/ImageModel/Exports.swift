// The time of every layer: files that need nothing else of Foundation do not import it.
#if canImport(FoundationEssentials)
  @_exported import struct FoundationEssentials.Date
#else
  @_exported import struct Foundation.Date
#endif
