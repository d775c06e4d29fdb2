export function cached(name: string, fill: (directory: string) => Promise<void>): Promise<string>
export function installedFrom(name: string, folder: string): Promise<string>
export function npm(args: readonly string[], directory: string): Promise<void>
