export const quickSuites: readonly string[]
export const leftToFull: readonly string[]
export const leftToDefault: readonly string[]
