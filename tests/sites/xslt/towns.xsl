<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
  <xsl:template match="/"><html><body><h1>made from <xsl:value-of select="towns/town"/></h1><img src="made.png"/></body></html></xsl:template>
</xsl:stylesheet>
