export function whyNoWindows(): string | undefined
export function nodeForWindows(): Promise<string>
export function wineLibraries(): Promise<string>
