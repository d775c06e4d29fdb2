interface Manifest {
  name: string
  version: string
  description: string
  license: string
  keywords: string[]
  engines: { node: string }
  mcpName: string
}
export function serverJson(manifest: Manifest): unknown
export function mcpbManifest(manifest: Manifest, tools: readonly { name: string; description: string }[]): unknown
export function installLinks(manifest: Manifest): Record<'VS Code' | 'Cursor', string>
export function installButtons(manifest: Manifest): string
export function withButtons(page: string, manifest: Manifest): string
export function layOutBundle(directory: string): Promise<void>
