/** What stands for a whole module: its names are variables that nobody else can set. */

export function moduleObject(space: { readonly [name: string]: unknown }): object {
  const target = Object.create(null) as object
  const names = Object.keys(space).sort()
  for (const name of names) Object.defineProperty(target, name, { value: undefined, writable: true, enumerable: true })
  Object.defineProperty(target, Symbol.toStringTag, { value: 'Module' })
  Object.preventExtensions(target)
  const has = (key: PropertyKey): key is string => typeof key === 'string' && Object.hasOwn(space, key)

  return new Proxy(target, {
    get: (_, key) => (has(key) ? space[key] : key === Symbol.toStringTag ? 'Module' : undefined),
    set: () => false,
    defineProperty(_, key, descriptor) {
      const now = Reflect.getOwnPropertyDescriptor(target, key)
      if (now === undefined || descriptor.get !== undefined || descriptor.set !== undefined) return false
      if (descriptor.configurable === true || (descriptor.enumerable ?? now.enumerable) !== now.enumerable) return false
      if ((descriptor.writable ?? now.writable) !== now.writable) return false
      return !('value' in descriptor) || Object.is(descriptor.value, has(key) ? space[key] : 'Module')
    },
    deleteProperty: (_, key) => !Reflect.has(target, key),
    getOwnPropertyDescriptor(_, key) {
      const own = Reflect.getOwnPropertyDescriptor(target, key)
      return own !== undefined && has(key) ? { ...own, value: space[key] } : own
    },
    setPrototypeOf: (_, prototype) => prototype === null,
  })
}
