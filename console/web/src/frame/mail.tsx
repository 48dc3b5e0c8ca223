// SPDX-License-Identifier: Apache-2.0
// Shows a mail's HTML in the frame that cleans it: <MailHtml html={message.html} .../>.
import { useEffect, useRef, useState } from 'preact/hooks';
import type { FromFrame, Show } from './protocol.ts';

const TALLEST = 20_000; // CSS pixels; what is longer scrolls in the frame

export interface MailHtmlProps {
  html: string;
  title: string; // of the frame, for who can't see it
  images?: Record<string, string>;
  onShown?: (about: { notLoaded: number; links: number }) => void;
  onLink?: (href: string) => void;
  onEscape?: () => void;
}

export function MailHtml(props: MailHtmlProps) {
  const frame = useRef<HTMLIFrameElement>(null);
  const latest = useRef(props);
  const ready = useRef(false);
  const [height, setHeight] = useState(120);
  latest.current = props;

  const hand = () => {
    const { html, images } = latest.current;
    const message: Show = images ? { type: 'show', html, images } : { type: 'show', html };
    frame.current?.contentWindow?.postMessage(message, '*');
  };
  useEffect(() => {
    const heard = (event: MessageEvent) => {
      if (event.source !== frame.current?.contentWindow) return;
      const message = event.data as FromFrame;
      if (message.type === 'ready') {
        ready.current = true;
        hand();
      } else if (message.type === 'height') {
        setHeight(Math.min(message.height, TALLEST));
      } else if (message.type === 'shown') {
        setHeight(Math.min(message.height, TALLEST));
        latest.current.onShown?.({ notLoaded: message.notLoaded, links: message.links });
      } else if (message.type === 'link') {
        latest.current.onLink?.(String(message.href));
      } else if (message.type === 'escape') {
        latest.current.onEscape?.();
      }
    };
    addEventListener('message', heard);
    return () => removeEventListener('message', heard);
  }, []);
  useEffect(() => {
    if (ready.current) hand();
  }, [props.html, props.images]);

  return (
    <iframe ref={frame} class="mail-html" title={props.title} sandbox="allow-scripts" src="/_sosia/ui/frame"
      height={Math.max(height, 40)} width="100%" />
  );
}
