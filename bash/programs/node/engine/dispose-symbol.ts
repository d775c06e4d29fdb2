/** QuickJS's library needs `Symbol.dispose`, which Safari and WebKitGTK lack. Runs before it is loaded. */
if (!('dispose' in Symbol)) Object.defineProperty(Symbol, 'dispose', { value: Symbol.for('Symbol.dispose') })
