// The first screen is painted first, in the size that was chosen; then the rest of the script and of the styles comes.
import './size.js';

requestAnimationFrame(() => setTimeout(() => {
  const styles = document.createElement('link');
  styles.rel = 'stylesheet';
  styles.href = new URL('layers.css', import.meta.url).href;
  document.head.append(styles);
  import('./app.js');
}));
