// The first screen is painted first; then the rest of the script comes.
requestAnimationFrame(() => setTimeout(() => import('./app.js')));
