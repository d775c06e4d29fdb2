/** Time limits a command; these counts only stop a single step from filling the memory before it can be measured. */
const unlimited = 1e9
const maxStringBytes = 64 << 20
const maxElements = 1_000_000

/** The limits of just-bash that follow from a command's memory limit: the size of one string, one array or one result. */
export function limitsFor(maxMemoryBytes: number) {
  const stringBytes = Math.min(maxStringBytes, maxMemoryBytes >> 3)
  const elements = Math.min(maxElements, maxMemoryBytes >> 9)
  return {
    maxCommandCount: unlimited,
    maxLoopIterations: unlimited,
    maxAwkIterations: unlimited,
    maxSedIterations: unlimited,
    maxJqIterations: unlimited,
    maxWorkUnits: unlimited,
    maxOutputSize: stringBytes,
    maxStringLength: stringBytes,
    maxHeredocSize: stringBytes,
    maxLiveBytes: maxMemoryBytes,
    maxArrayElements: elements,
    maxQueryElements: elements,
  }
}
