import ArgumentParser
import ImagePipeline

// The library's own words, as they are typed.

extension ImageCheck: ExpressibleByArgument {}
extension FitMode: ExpressibleByArgument {}
extension DiskCache.Durability: ExpressibleByArgument {}
extension DiskCache.ReadVerification: ExpressibleByArgument {}
