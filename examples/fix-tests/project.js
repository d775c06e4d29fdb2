/** A project in two languages. Each has a test that fails. */
export const project = {
  'price.py': `def with_tax(net, percent):
    """The price that a customer pays, in cents."""
    return net + net * percent // 10
`,
  'test_price.py': `import pytest

from price import with_tax


@pytest.mark.parametrize("net, percent, gross", [(1000, 0, 1000), (1000, 20, 1200)])
def test_with_tax(net, percent, gross):
    assert with_tax(net, percent) == gross
`,
  'total.js': `/** The sum of what is in the basket, in cents. */
exports.total = (basket) => basket.reduce((sum, { price, count }) => sum + price + count, 0)
`,
  'total.test.js': `const assert = require('node:assert')
const test = require('node:test')
const { total } = require('./total.js')

test('an empty basket costs nothing', () => assert.strictEqual(total([]), 0))
test('each article counts', () => assert.strictEqual(total([{ price: 250, count: 4 }]), 1000))
`,
}

/** Python finds packages there. */
export const packages = 'lib'
