// The rail beside the text: its tabs, and what joins the comments to the words they are about.
import { joinComments } from "./beside/comments";
import { besideTabs } from "./beside/tabs";

const tabs = besideTabs();
if (tabs) joinComments(tabs);
