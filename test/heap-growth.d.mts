export const tellingHeap: readonly string[]
export const mostBytesPerCall: number
export function heapAfterCollection(child: { pid?: number | undefined }, file: string): Promise<number>
export function heapGrowth(samples: readonly { calls: number; heapBytes: number }[]): {
  early: number
  late: number
  perCall: number
  isLeak: boolean
}
