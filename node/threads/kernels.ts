/** The kernels of the core; files are read into their memory. */
export { createKernels, type Kernels } from '../../src/search/bytes/kernels/kernels.js'
