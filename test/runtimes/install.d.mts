export type RuntimeName = 'Node 22' | 'Node 24' | 'Node 26' | 'Bun' | 'Deno'
export const runtimes: Record<RuntimeName, { package: string; program: string; args: string[] }>
export function runtime(name: RuntimeName): Promise<[string, ...string[]]>
export function packagesWith(spec: string, options?: readonly string[]): Promise<string>
export function packagedProgram(spec: string, program: string, options?: readonly string[]): Promise<string>
