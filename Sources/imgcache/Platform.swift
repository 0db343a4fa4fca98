// The C library and Foundation are visible in all files of the program by these imports.

#if canImport(FoundationEssentials)
  @_exported import FoundationEssentials
#else
  @_exported import Foundation
#endif

#if canImport(Glibc)
  @_exported import Glibc
#else
  @_exported import Darwin
#endif
