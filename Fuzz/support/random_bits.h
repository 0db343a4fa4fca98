// Numbers determined by a seed, for mutations of inputs.
#ifndef RANDOM_BITS_H
#define RANDOM_BITS_H

#include <stdint.h>

/// SplitMix64 (Steele, Lea and Flood, 2014).
static inline uint64_t random_bits(uint64_t *seed) {
    uint64_t mixed = *seed += 0x9e3779b97f4a7c15;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
    return mixed ^ (mixed >> 31);
}

/// A number below `end`; 0 where that is 0.
static inline uint32_t random_below(uint64_t *seed, uint32_t end) {
    return end == 0 ? 0 : (uint32_t)((random_bits(seed) >> 32) * end >> 32);
}

/// True in one of `times` cases.
static inline int random_once_in(uint64_t *seed, uint32_t times) {
    return random_below(seed, times) == 0;
}

#endif
