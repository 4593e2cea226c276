// Tags of an XML file one after another, with the line they stand in: just as much as VTK's XML
// formats need. What stands between the tags is read by the caller.
#ifndef LB_MESHIO_XML_H
#define LB_MESHIO_XML_H

#include "arrayio/text.h"

#include <stdio.h>

typedef struct lbXmlTag {
  char name[48];
  bool is_closing;              // </name>
  bool is_empty;                // <name/>
  int32_t line;                 // where it begins
  const char *attributes, *end; // between name and '>'
} lbXmlTag;

// To behind the next tag; comments and declarations are skipped. False when there is none.
bool lb_xml_next(lbText *text, lbXmlTag *tag);
// The value of an attribute, copied; false if it is absent or does not fit.
bool lb_xml_attribute(const lbXmlTag *tag, const char *name, char *value, size_t size);
// Writes text with the characters escaped that mean something in XML.
void lb_xml_print(FILE *stream, const char *text);

#endif
