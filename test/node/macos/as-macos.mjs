/** Preloaded: Node says that it runs on macOS. */
Object.defineProperty(process, 'platform', { value: 'darwin' })
