import type { MemoryTree } from './fs/backends/memory.js'

/** A small project for trying out the tools. */
export const sampleProject: MemoryTree = {
  'README.md':
    '# Harbour\n\nBerths, tides and arrivals of a small harbour.\n\n- `src/` the program\n- `data/` what it reads\n',
  'src/berths.ts':
    'export interface Berth {\n  name: string\n  depthMetres: number\n}\n\n' +
    '/** The berths a ship of this draught can use. */\n' +
    'export function usable(berths: Berth[], draughtMetres: number): Berth[] {\n' +
    '  // TODO: allow for the tide\n' +
    '  return berths.filter((berth) => berth.depthMetres > draughtMetres)\n}\n',
  'src/tides.ts':
    'export const highWater = { hour: 6, metres: 4.2 }\nexport const lowWater = { hour: 12, metres: 0.9 }\n',
  'data/arrivals.csv': 'ship,draught,arrives\nAlma,3.1,2026-03-01\nBellona,5.4,2026-03-02\n',
  'notes/': '',
}
