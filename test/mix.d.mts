export function mix(seed: number, number: number): number
