/** Ids sort by time, then by count. */
export function changeId(atMs: number, count: number, engineId: string): string {
  return `${String(atMs).padStart(15, '0')}-${String(count).padStart(8, '0')}-${engineId}`
}
