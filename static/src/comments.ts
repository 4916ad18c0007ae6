// The side panels: their tabs, and the connection between comments and the text.
import { connectComments } from "./side-panel/comments";
import { setUpTabs } from "./side-panel/tabs";
import { pageText } from "./side-panel/text-access";

const tabs = setUpTabs();
if (tabs) connectComments(tabs, pageText());
