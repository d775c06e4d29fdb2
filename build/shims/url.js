const { URL } = globalThis

export { URL }
