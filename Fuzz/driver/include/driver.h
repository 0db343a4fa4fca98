#ifndef DRIVER_H
#define DRIVER_H

/// SwiftPM's entry point of the program: it passes control to libFuzzer.
int fuzz_swift_main(int argc, char *_Nonnull *_Nonnull argv);

#endif
