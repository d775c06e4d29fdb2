export function seedOfCommit(): number
export function newSeed(): number
export function parseSeed(text: string): number | undefined
export function printSeed(seed: number): string
