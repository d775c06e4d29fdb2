/** Time is what ends a command; counts only keep one step from filling the memory before it can be seen. */
const manyTimes = 1e9
const mostStringBytes = 64 << 20
const mostElements = 1_000_000

/** What just-bash is told of the memory a command may use: how much of it one string, one array, one result may take. */
export function limitsFor(maxMemoryBytes: number) {
  const stringBytes = Math.min(mostStringBytes, maxMemoryBytes >> 3)
  const elements = Math.min(mostElements, maxMemoryBytes >> 9)
  return {
    maxCommandCount: manyTimes,
    maxLoopIterations: manyTimes,
    maxAwkIterations: manyTimes,
    maxSedIterations: manyTimes,
    maxJqIterations: manyTimes,
    maxWorkUnits: manyTimes,
    maxOutputSize: stringBytes,
    maxStringLength: stringBytes,
    maxHeredocSize: stringBytes,
    maxLiveBytes: maxMemoryBytes,
    maxArrayElements: elements,
    maxQueryElements: elements,
  }
}
