// The first screen is painted first; then the rest of the script and of the styles comes.
requestAnimationFrame(() => setTimeout(() => {
  const styles = document.createElement('link');
  styles.rel = 'stylesheet';
  styles.href = '/reader/layers.css';
  document.head.append(styles);
  import('./app.js');
}));
