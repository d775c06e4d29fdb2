export function apiReports(root: string): Promise<{ reports: Map<string, string>; missing: string[] }>
export function reportFile(entry: string): string
