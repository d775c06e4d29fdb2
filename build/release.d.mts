export function nextVersion(version: string, bump: string): string
export function closedSection(changelog: string, version: string, date: string): string
export function changedFiles(read: (name: string) => string, version: string, date: string): Record<string, string>
export function faultsOf(packed: { files: { path: string }[]; unpackedSize: number }): string[]
