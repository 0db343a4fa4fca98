// The time and the errors of every layer: files that need nothing else of Foundation do not import
// it.
#if canImport(FoundationEssentials)
  @_exported import struct FoundationEssentials.Date
  @_exported import protocol FoundationEssentials.LocalizedError
  @_exported import typealias FoundationEssentials.TimeInterval
#else
  @_exported import struct Foundation.Date
  @_exported import protocol Foundation.LocalizedError
  @_exported import typealias Foundation.TimeInterval
#endif
